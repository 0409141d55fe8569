import type { ChatBody } from '@/lib/browser/chat-request'
import { jsLiteral, KEY_VARIABLE, pyLiteral, shellQuote, visibleJson } from '@/lib/contract/code-literals'

export type ChatSnippet = 'curl' | 'typescript' | 'python'

/**
 * Writes a request as a whole program that reads the key from its environment.
 * @param origin the service's own, without a path.
 */
export function chatSnippet(kind: ChatSnippet, body: ChatBody, origin: string): string {
  const shown = { ...body, stream: true }
  const baseUrl = `${origin}/api/v1`
  if (kind === 'curl') return curl(shown, baseUrl)
  return kind === 'python' ? python(shown, baseUrl) : typescript(shown, baseUrl)
}

function curl(body: object, baseUrl: string): string {
  return [
    `curl -N ${shellQuote(`${baseUrl}/chat/completions`)} \\`,
    `  -H "Authorization: Bearer $${KEY_VARIABLE}" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellQuote(visibleJson(body, 2))}`,
  ].join('\n')
}

/**
 * The stock client does not know the service's own field; TypeScript takes it from a variable, but not in a literal.
 */
function typescript(body: object, baseUrl: string): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: ${jsLiteral(baseUrl)}, apiKey: process.env.${KEY_VARIABLE} })

const request: OpenAI.ChatCompletionCreateParamsStreaming & { service_parameters?: object } = ${jsLiteral(body)}

for await (const chunk of await client.chat.completions.create(request)) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '')
}
`
}

function python(body: Record<string, unknown>, baseUrl: string): string {
  const { service_parameters: extra, ...known } = body
  const fields = Object.entries(extra ? { ...known, extra_body: { service_parameters: extra } } : known)
  const lines = fields.map(([name, value]) => `    ${name}=${pyLiteral(value, 1)},\n`).join('')
  return `import os

from openai import OpenAI

client = OpenAI(base_url=${pyLiteral(baseUrl)}, api_key=os.environ["${KEY_VARIABLE}"])

stream = client.chat.completions.create(
${lines})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
`
}
