"""Second factors: allauth's, with the secrets sealed and the duty to have one kept."""

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.contrib.auth.base_user import AbstractBaseUser

from annotation.models import User
from annotation.permissions import must_have_second_factor
from sonovqa import seal


class SecondFactorAdapter(DefaultMFAAdapter):
    def encrypt(self, text: str) -> str:
        return seal.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        return seal.unseal(encrypted_text)

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        """The user name: what the app on the phone shows needs no mail address."""
        return user.get_username()

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        user = authenticator.user
        return not (isinstance(user, User) and must_have_second_factor(user))
