"""The admin site of the annotation room: accounts, and the trail to read."""

from typing import Any, cast

from allauth.account.admin import EmailAddress
from allauth.mfa.admin import Authenticator
from allauth.socialaccount.admin import SocialAccount, SocialApp, SocialToken
from allauth.usersessions.admin import UserSession
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import BaseUserCreationForm, SetPasswordForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from annotation.actions import accounts
from annotation.actions.review_rules import RULES, set_rules
from annotation.models import Benchmark, Revision, Role, User

admin.site.site_header = admin.site.site_title = "sonovqa administration"
# What belongs to accounts is changed by actions alone, on the page of people.
admin.site.unregister([EmailAddress, Authenticator, UserSession])
admin.site.unregister([SocialAccount, SocialApp, SocialToken])
admin.site.unregister(Group)  # roles say what a person may do; groups would be a second answer


@admin.register(User)
class AccountAdmin(UserAdmin):
    """Makes and changes accounts. They are closed, never deleted: votes keep their reader."""

    list_display = ("username", "role", "is_active", "last_login")
    list_filter = ("role", "is_active")
    filter_horizontal = ()
    add_form = BaseUserCreationForm
    fieldsets = (
        (None, {"fields": ("username", "password", "role", "is_active")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Dates", {"fields": ("last_login", "date_joined", "pseudonym")}),
    )
    add_fieldsets = ((None, {"fields": ("username", "role", "password1", "password2")}),)
    readonly_fields = ("last_login", "date_joined", "pseudonym")

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        by = cast("User", request.user)
        if change:
            changes = {name: form.cleaned_data[name] for name in form.changed_data}
            accounts.change_account(user=obj, changes=changes, by=by)
            return
        made = accounts.make_account(
            username=obj.username,
            role=Role(obj.role),
            password=form.cleaned_data["password1"],
            by=by,
        )
        obj.pk = made.pk
        obj._state.adding = False

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002 Django's name
        form_url: str = "",
    ) -> HttpResponse:
        user = self.get_object(request, unquote(id))
        if user is None or not self.has_change_permission(request, user):
            raise PermissionDenied
        form: SetPasswordForm = SetPasswordForm(user, request.POST or None)
        if request.method == "POST" and form.is_valid():
            by = cast("User", request.user)
            accounts.set_password(user=user, password=form.cleaned_data["new_password1"], by=by)
            update_session_auth_hash(request, user)  # keeps the admin signed in, if it is theirs
            self.message_user(request, "The password is changed; that account is signed out.")
            return redirect("admin:annotation_user_change", user.pk)
        context = {
            **self.admin_site.each_context(request),
            "title": f"Change password: {user.get_username()}",
            "opts": self.opts,
            "original": user,
            "form": form,
        }
        return render(request, "admin/annotation/user/password.html", context)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False


@admin.register(Revision)
class RevisionAdmin(admin.ModelAdmin):
    """The trail is read here and written by actions alone."""

    list_display = ("at", "actor", "verb", "target_kind", "target_id", "reason")
    list_filter = ("verb", "target_kind")
    search_fields = ("actor", "reason")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Revision | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Revision | None = None) -> bool:
        return False


@admin.register(Benchmark)
class BenchmarkAdmin(admin.ModelAdmin):
    """How a benchmark is reviewed and shown. Its content comes by import and review alone."""

    list_display = ("name", "slug", "votes_required", "is_public")
    fields = ("slug", "name", *RULES)
    readonly_fields = ("slug", "name")

    def save_model(self, request: HttpRequest, obj: Benchmark, form: Any, change: bool) -> None:
        stored = Benchmark.objects.get(pk=obj.pk)
        changes = {name: form.cleaned_data[name] for name in form.changed_data}
        set_rules(benchmark=stored, changes=changes, by=cast("User", request.user))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Benchmark | None = None) -> bool:
        return False
