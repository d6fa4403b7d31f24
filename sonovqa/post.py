"""Mail goes out beside the request, so that an answer takes as long with a mail as without one:
nobody learns from the clock whether an address is known."""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from smtplib import SMTPException

from django.core.mail import EmailMessage

log = logging.getLogger(__name__)
POOL = ThreadPoolExecutor(max_workers=2, thread_name_prefix="post")


def post(message: EmailMessage) -> Future[bool]:
    """Send `message` in a while; the result says whether the server took it."""
    return POOL.submit(deliver, message)


def deliver(message: EmailMessage) -> bool:
    """Send `message` now and say whether the server took it. The log names no address."""
    try:
        message.send()
    except (OSError, SMTPException) as error:
        log.warning("A mail could not be sent: %s.", type(error).__name__)
        return False
    return True
