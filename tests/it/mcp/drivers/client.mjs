// Drives an MCP server with the official client for node, version 2.
//
// client.mjs ERA stdio PROGRAM ARGUMENT... | client.mjs ERA http URL BEARER

import { createRequire } from 'node:module';
import { run } from './steps.mjs';

const [era, transport, ...rest] = process.argv.slice(2);
const load = createRequire(import.meta.url);
const { Client, StreamableHTTPClientTransport } = load('@modelcontextprotocol/client');
const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio');

const mode = era === 'legacy' ? 'legacy' : 'auto';
const client = new Client({ name: 'driver', version: '1.0.0' }, { versionNegotiation: { mode } });
const heard = [];
client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
const [first, second] = rest;
await client.connect(
  transport === 'stdio'
    ? new StdioClientTransport({ command: first, args: rest.slice(1), env: process.env })
    : new StreamableHTTPClientTransport(new URL(first), {
        requestInit: { headers: { authorization: `Bearer ${second}` } },
      }),
);
const version = () => client.getNegotiatedProtocolVersion();
await run(client, {
  version,
  call: (request, options) => client.callTool(request, options),
  heard,
  watch: async (uri, act) => {
    if (version() < '2026') {
      await client.subscribeResource({ uri });
      const answer = await act();
      await client.unsubscribeResource({ uri });
      return answer;
    }
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    const answer = await act();
    await subscription.close();
    return answer;
  },
});
