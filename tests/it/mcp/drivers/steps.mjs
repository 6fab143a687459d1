// The steps that both clients for node take: one line of JSON for each.

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const text = (blocks) => blocks.map((block) => block.text).join('\n');

/**
 * Run what standard input says with `client`, which is connected. `call` is its way to call a tool, `watch(uri, act)`
 * subscribes while it acts, `heard` fills with what was announced.
 */
export async function run(client, { version, call, watch, heard }) {
  const kinds = {
    watch: async ({ watch: uri, during }) =>
      watch(uri, async () => {
        await take(during);
        for (let waited = 0; waited < 1000 && !heard.length; waited++) await sleep(20);
        return { updated: heard[0] };
      }),
    list: async () => ({
      version: version(),
      instructions: client.getInstructions(),
      tools: (await client.listTools()).tools.map((tool) => tool.name),
      resources: (await client.listResources()).resources.map((one) => one.uri),
      templates: (await client.listResourceTemplates()).resourceTemplates.map((one) => one.uriTemplate),
      prompts: (await client.listPrompts()).prompts.map((prompt) => prompt.name),
    }),
    tool: async (step) => {
      const progress = [];
      const stop = new AbortController();
      if (step.cancel_after) setTimeout(() => stop.abort('enough'), step.cancel_after);
      const options = { signal: stop.signal, onprogress: (seen) => progress.push(seen.progress) };
      try {
        const { isError, content, structuredContent } = await call(
          { name: step.tool, arguments: step.arguments },
          options,
        );
        return { failed: !!isError, text: text(content), structured: structuredContent ?? null, progress };
      } catch (error) {
        if (stop.signal.aborted) return { cancelled: true };
        throw error;
      }
    },
    resource: async ({ resource: uri }) => {
      const [content] = (await client.readResource({ uri }, { cacheMode: 'bypass' })).contents;
      return { text: content.text, type: content.mimeType ?? null };
    },
    prompt: async (step) => {
      const { messages } = await client.getPrompt({ name: step.prompt, arguments: step.arguments });
      return { text: text(messages.map((message) => message.content)) };
    },
  };
  const take = (step) => kinds[Object.keys(kinds).find((kind) => kind in step)](step);

  let input = '';
  for await (const chunk of process.stdin) input += chunk;
  for (const step of JSON.parse(input)) {
    let answer;
    try {
      answer = await take(step);
    } catch (error) {
      if (typeof error.code !== 'number') throw error;
      answer = { code: error.code, message: error.message.replace(/^MCP error -?\d+: /, '') };
    }
    console.log(JSON.stringify(answer));
  }
  await client.close();
}
