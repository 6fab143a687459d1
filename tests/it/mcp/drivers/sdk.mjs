// Drives an MCP server with the official SDK for node, version 1, which only knows the era of `initialize`.
//
// sdk.mjs ERA stdio PROGRAM ARGUMENT... | sdk.mjs ERA http URL BEARER

import { createRequire } from 'node:module';
import { run } from './steps.mjs';

const [, transport, ...rest] = process.argv.slice(2);
const load = createRequire(import.meta.url);
const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { ResourceUpdatedNotificationSchema } = load('@modelcontextprotocol/sdk/types.js');

const client = new Client({ name: 'driver', version: '1.0.0' });
const heard = [];
client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
const [first, second] = rest;
const link =
  transport === 'stdio'
    ? new StdioClientTransport({ command: first, args: rest.slice(1), env: process.env })
    : new StreamableHTTPClientTransport(new URL(first), {
        requestInit: { headers: { authorization: `Bearer ${second}` } },
      });
let version;
link.setProtocolVersion = ((set) => (chosen) => (set?.call(link, chosen), (version = chosen)))(link.setProtocolVersion);
await client.connect(link);
await run(client, {
  version: () => version,
  call: (request, options) => client.callTool(request, undefined, options),
  heard,
  watch: async (uri, act) => {
    await client.subscribeResource({ uri });
    const answer = await act();
    await client.unsubscribeResource({ uri });
    return answer;
  },
});
