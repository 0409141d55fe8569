import 'server-only'
import { request } from 'undici'
import { SearchUnavailable } from '@/lib/services/web/provider'

/** Far more than any page of results. */
const MAX_REPLY_BYTES = 1_048_576

export type Question = {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
  signal: AbortSignal
}

/**
 * The text of a provider's reply. The address is the operator's or ours, so it may be private; redirects are not followed.
 *
 * @throws SearchUnavailable, or the signal's reason when it aborted.
 */
export async function askText(url: URL, question: Question): Promise<string> {
  const { signal } = question
  try {
    const reply = await request(url, {
      method: question.method,
      headers: { 'user-agent': 'Mozilla/5.0 (compatible; Lagoon)', 'accept-encoding': 'identity', ...question.headers },
      body: question.body,
      signal,
    })
    const { statusCode: status, body } = reply
    // 202 is DuckDuckGo's way to say that it takes us for a robot.
    if (status !== 200) {
      await body.dump({ limit: 16_384, signal }).catch(() => {})
      throw new SearchUnavailable(status === 202 ? 'bot-check' : 'status', { status })
    }
    const chunks: Buffer[] = []
    let bytes = 0
    // Leaving the loop early destroys the body and its connection.
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_REPLY_BYTES) throw new SearchUnavailable('too-large')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    throw thrown instanceof SearchUnavailable ? thrown : new SearchUnavailable('unreachable', { cause: thrown })
  }
}

/** The same for a reply in JSON, of whatever shape. */
export async function askJson(url: URL, question: Question): Promise<unknown> {
  const headers = { accept: 'application/json', ...question.headers }
  const text = await askText(url, { ...question, headers })
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message would quote the reply.
    throw new SearchUnavailable('format')
  }
}
