"""Repeats beside items and votes what stood in their videos, versions and items alone."""

from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill(apps, schema_editor):
    item, video, version, review = (
        apps.get_model("annotation", name) for name in ("Item", "Video", "ItemVersion", "Review")
    )
    place = video.objects.filter(pk=OuterRef("video")).values("position")
    item.objects.update(video_position=Subquery(place))
    since = version.objects.filter(pk=OuterRef("current")).values("votes_since")
    item.objects.filter(current__votes_since__gt=1).update(votes_since=Subquery(since))
    number = version.objects.filter(pk=OuterRef("item_version")).values("number")
    home = item.objects.filter(pk=OuterRef("item")).values("benchmark")
    review.objects.update(version_number=Subquery(number), benchmark=Subquery(home))


class Migration(migrations.Migration):
    dependencies = [("annotation", "0021_list_order_and_facts_of_votes")]
    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
