"""Drives an MCP server with the official client for Python: one line of JSON for each step that it is told.

client.py ERA stdio PROGRAM ARGUMENT... | client.py ERA http URL BEARER
"""

import json
import os
import sys

import anyio
import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

era, transport, *rest = sys.argv[1:]


class Driver:
    def __init__(self):
        self.updated = []
        self.client = None

    async def heard(self, message):
        if getattr(message, "method", None) == "notifications/resources/updated":
            self.updated.append(str(message.params.uri))

    async def list(self, _):
        client = self.client
        return {
            "version": client.protocol_version,
            "instructions": client.instructions,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "resources": [str(one.uri) for one in (await client.list_resources()).resources],
            "templates": [one.uri_template for one in (await client.list_resource_templates()).resource_templates],
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
        }

    async def tool(self, step):
        seen = []

        async def progress(done, total, message):
            seen.append(done)

        with anyio.move_on_after(step.get("cancel_after", 3_600_000) / 1000) as scope:
            result = await self.client.call_tool(step["tool"], step.get("arguments"), progress_callback=progress)
        if scope.cancelled_caught:
            return {"cancelled": True}
        return {
            "failed": bool(result.is_error),
            "text": "\n".join(block.text for block in result.content),
            "structured": result.structured_content,
            "progress": seen,
        }

    async def resource(self, step):
        result = await self.client.read_resource(step["resource"], cache_mode="bypass")
        return {"text": result.contents[0].text, "type": result.contents[0].mime_type}

    async def prompt(self, step):
        result = await self.client.get_prompt(step["prompt"], step.get("arguments"))
        return {"text": "\n".join(message.content.text for message in result.messages)}

    async def watch(self, step):
        uri = step["watch"]
        if self.client.protocol_version >= "2026":
            async with self.client.listen(resource_subscriptions=[uri]) as events:
                await self.take(step["during"])
                with anyio.fail_after(20):
                    async for event in events:
                        return {"updated": str(event.uri)}
        await self.client.subscribe_resource(uri)
        await self.take(step["during"])
        with anyio.fail_after(20):
            while not self.updated:
                await anyio.sleep(0.02)
        await self.client.unsubscribe_resource(uri)
        return {"updated": self.updated[0]}

    async def take(self, step):
        for kind in ("watch", "list", "tool", "resource", "prompt"):
            if kind in step:
                return await getattr(self, kind)(step)

    async def run(self, server):
        identity = Implementation(name="driver", version="1.0.0")
        mode = "legacy" if era == "legacy" else "auto"
        async with Client(server, mode=mode, client_info=identity, message_handler=self.heard) as self.client:
            for step in json.load(sys.stdin):
                try:
                    answer = await self.take(step)
                except MCPError as error:
                    answer = {"code": error.code, "message": error.message}
                print(json.dumps(answer), flush=True)


async def main():
    if transport == "stdio":
        await Driver().run(StdioServerParameters(command=rest[0], args=rest[1:], env=dict(os.environ)))
        return
    url, bearer = rest
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {bearer}"}, timeout=60) as http:
        await Driver().run(streamable_http_client(url, http_client=http))


anyio.run(main)
