import { bodyOf } from '@/components/rpc/client'
import { endpointOf, type SnippetInput } from '@/components/rpc/snippets/types'
import { KEY_VARIABLE, shellQuote, visibleJson } from '@/lib/contract/code-literals'

/** Linux takes no argument of 128 KiB or more, so what may be larger goes in by standard input. */
const MAX_ARGUMENT_CHARS = 30_000
const MAX_LINE_CHARS = 100
const END = 'JSON'

export function curlSnippet(input: SnippetInput): string {
  const body = bodyOf(input.calls, input.isBatch)
  const head = [
    `curl ${shellQuote(endpointOf(input))}`,
    `-H 'Content-Type: application/json'`,
    `-H "Authorization: Bearer $${KEY_VARIABLE}"`,
  ]
  const line = visibleJson(body)
  const text = line.length > MAX_LINE_CHARS ? visibleJson(body, 2) : line
  if (text.length > MAX_ARGUMENT_CHARS) {
    // Quoted, so that nothing in it is expanded; no line of JSON can be the end mark, which has no quotes.
    return `${[...head, `--data-binary @- <<'${END}'`].join(' \\\n  ')}\n${line}\n${END}\n`
  }
  return `${[...head, `-d ${shellQuote(text)}`].join(' \\\n  ')}\n`
}
