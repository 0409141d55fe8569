/** How long a stream may be silent before a comment keeps the connection alive. Source: API contract, chat.md 9. */
export const KEEP_ALIVE_MS = 15_000

export const SSE_PING = ': ping\n\n'
export const SSE_DONE = 'data: [DONE]\n\n'

/**
 * One event as a frame: `data: ` and one line of JSON. One published reader drops any line that holds the text
 * `[DONE]`, so an opening bracket before it is escaped, which JSON reads the same.
 */
export function sseFrame(json: string): string {
  return `data: ${guardDone(json)}\n\n`
}

/** Hides the end marker inside JSON text, whoever wrote it there. */
export function guardDone(json: string): string {
  return json.includes('[DONE]') ? json.replaceAll('[DONE]', '\\u005bDONE]') : json
}
