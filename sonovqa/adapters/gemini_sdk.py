"""Google's SDK: what it does for us beside a call, with our bounds and our errors."""

import asyncio
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
from google import genai
from google.genai import errors as sdk_errors
from google.genai import types

from sonovqa.adapters import errors
from sonovqa.adapters.asking import Endpoint, Upload
from sonovqa.adapters.connections import connection_error, open_pool
from sonovqa.adapters.gemini_replies import typed_error
from sonovqa.adapters.reply_fields import mapping

API_VERSION = "v1beta"
FILE_LIFE = timedelta(hours=47)  # uploaded files are kept for 48 hours
LOOK_AGAIN = 1.0  # seconds between two looks at a file that is being prepared


class Sdk:
    """A client of the SDK; made and used in one event loop."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._timeout = endpoint.timeout
        self._pool = open_pool(endpoint)
        self.client = genai.Client(
            api_key=endpoint.key,
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=endpoint.base_url or None,
                api_version=API_VERSION,
                timeout=int(endpoint.timeout * 1000),
                retry_options=types.HttpRetryOptions(attempts=1),
                httpx_async_client=self._pool,
            ),
        )

    async def upload(self, data: bytes, mime: str, name: str) -> Upload:
        """Put a clip into the file store and wait until it can be used. Raises a ModelError."""
        config = types.UploadFileConfig(mime_type=mime, display_name=name[:80])
        with typed_errors(self._timeout):
            async with asyncio.timeout(self._timeout):
                file = await self.client.aio.files.upload(file=io.BytesIO(data), config=config)
                while file.state == types.FileState.PROCESSING and file.name:
                    await asyncio.sleep(LOOK_AGAIN)
                    file = await self.client.aio.files.get(name=file.name)
        if file.state == types.FileState.FAILED or not file.uri:
            raise errors.BadRequest("the provider could not read the uploaded clip")
        return Upload(file.uri, file.expiration_time or datetime.now(UTC) + FILE_LIFE)

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()


@contextmanager
def typed_errors(timeout: float) -> Iterator[None]:
    """Turn what the SDK raises into a ModelError."""
    try:
        yield
    except TimeoutError:
        raise errors.TimedOut(f"no reply within {timeout:g} s") from None
    except sdk_errors.APIError as error:
        raise _typed(error) from None
    except httpx2.HTTPError as error:
        raise connection_error(error, timeout) from None
    except (json.JSONDecodeError, UnicodeDecodeError, sdk_errors.UnknownApiResponseError):
        raise errors.Unparsable("the reply is not JSON") from None
    except (ValueError, KeyError) as error:  # pydantic's ValidationError is a ValueError
        raise errors.Unparsable(f"the reply has another shape: {type(error).__name__}") from None


def _typed(error: sdk_errors.APIError) -> errors.ModelError:
    details = mapping(error.details)
    told = mapping(details.get("error", details))
    headers: Any = getattr(error.response, "headers", None) or {}
    return typed_error(int(error.code or 500), told, headers)
