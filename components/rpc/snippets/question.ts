import { bodyOf, type RpcAnswer } from '@/lib/client/rpc'
import { isMethodName } from '@/lib/client/rpc-link'
import { fullName } from '@/lib/client/rpc-overview'
import { networkOf } from '@/lib/rpc/networks'

/** Of the room, what the request may take at most. */
const REQUEST_SHARE = 0.25

/** A question about an answer, with the JSON of both in fences that nothing in them can close. In markdown. */
export function questionAbout(answer: RpcAnswer, roomChars: number): string {
  const { calls, isBatch, text, status } = answer
  const network = networkOf(answer.network)
  const where = network ? fullName(network) : answer.network
  const [call] = calls
  const what =
    isBatch || !call || !isMethodName(call.method)
      ? `a batch of ${calls.length} on ${where}`
      : `${call.method} on ${where}`
  const request = cut(JSON.stringify(bodyOf(calls, isBatch)), Math.floor(roomChars * REQUEST_SHARE))
  const reply = cut(fitting(text, roomChars), roomChars - request.text.length)
  return [
    `What does this answer to ${what} say?`,
    `The request${request.note}:\n${fenced(request.text)}`,
    `The answer, HTTP ${status}${reply.note}:\n${fenced(reply.text)}`,
  ].join('\n\n')
}

/** Spread over lines where that fits, else as it came. */
function fitting(text: string, roomChars: number): string {
  if (text.length > roomChars) return text
  try {
    const spread = JSON.stringify(JSON.parse(text), null, 2)
    return spread.length <= roomChars ? spread : text
  } catch {
    return text
  }
}

function cut(text: string, chars: number): { text: string; note: string } {
  if (text.length <= chars) return { text, note: '' }
  // Half of a character of two would be no character.
  const kept = text.slice(0, chars).replace(/[\ud800-\udbff]$/, '')
  const number = (value: number) => value.toLocaleString('en-US')
  return { text: kept, note: `, the first ${number(kept.length)} of ${number(text.length)} characters` }
}

/** A fence is closed only by one as long as itself. Source: CommonMark 4.5. */
export function fenced(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}json\n${text}\n${fence}`
}
