/** Silence after which a comment keeps the connection alive. Source: API contract, chat.md 9. */
export const KEEP_ALIVE_MS = 15_000

export const SSE_PING = ': ping\n\n'
export const SSE_DONE = 'data: [DONE]\n\n'

/**
 * Formats one event. A published client drops any line that contains `[DONE]`, so the bracket is escaped inside JSON.
 */
export function sseFrame(json: string): string {
  return `data: ${guardDone(json)}\n\n`
}

export function guardDone(json: string): string {
  return json.includes('[DONE]') ? json.replaceAll('[DONE]', '\\u005bDONE]') : json
}
