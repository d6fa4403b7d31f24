"""The benchmark and its human review, one concept a file."""

from annotation.models.account import Role, User
from annotation.models.answer import Answer, KeySight
from annotation.models.api_token import ApiToken
from annotation.models.audit import AuditFlag, AuditState, ShortcutAudit
from annotation.models.benchmark import Benchmark, Event, Source, Video
from annotation.models.bulk import BulkAction, BulkTarget
from annotation.models.edit_hint import EditHint
from annotation.models.invitation import Invitation, InvitationState
from annotation.models.item import Item, ItemVersion
from annotation.models.release import Release, ReleaseItem
from annotation.models.repair import Repair, RepairSearch
from annotation.models.review import Review
from annotation.models.revision import Revision
from annotation.models.round import Round
from annotation.models.round_item import RoundItem
from annotation.models.round_reader import RoundReader
from annotation.models.saved_filter import SavedFilter
from annotation.models.thread import Comment, Thread
from annotation.models.turn import Turn

__all__ = [
    "Answer",
    "ApiToken",
    "AuditFlag",
    "AuditState",
    "Benchmark",
    "BulkAction",
    "BulkTarget",
    "Comment",
    "EditHint",
    "Event",
    "Invitation",
    "InvitationState",
    "Item",
    "ItemVersion",
    "KeySight",
    "Release",
    "ReleaseItem",
    "Repair",
    "RepairSearch",
    "Review",
    "Revision",
    "Role",
    "Round",
    "RoundItem",
    "RoundReader",
    "SavedFilter",
    "ShortcutAudit",
    "Source",
    "Thread",
    "Turn",
    "User",
    "Video",
]
