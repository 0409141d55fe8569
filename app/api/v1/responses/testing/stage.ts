import { type AskedRoute, type Call, chatStage, type StageOptions } from '@/app/api/v1/chat/completions/testing/stage'
import { POST } from '@/app/api/v1/responses/route'
import { addUp, type ReadEvent, readEvents } from '@/lib/endpoints/chat/responses/testing/reader'

export const RESPONSES: AskedRoute = { path: 'responses', POST, body: { input: 'Hi' } }

/** The chat's stage with this route on it, and its typed events read. */
export async function responsesStage(options: Omit<StageOptions, 'route'> = {}) {
  const stage = await chatStage({ ...options, route: RESPONSES })

  async function events(body: Record<string, unknown> = {}, more: Call = {}) {
    const response = await stage.call({ stream: true, ...body }, more)
    const text = await response.text()
    const all: ReadEvent[] = response.ok ? readEvents(text) : []
    return { response, text, events: all, types: all.map(({ type }) => type), items: addUp(structuredClone(all)) }
  }

  return { stage, events }
}
