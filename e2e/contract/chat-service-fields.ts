import { expect } from '@playwright/test'
import { callsOf, chunksOf, citationsOf, echoOf, firstOf, textOf } from '@/e2e/contract/answer'
import { echoes, type FieldRow, hello, parameters, user, wireText } from '@/e2e/contract/field-rows'

const search = (more: object = {}) =>
  parameters({ enable_web_search: 'on', ...more }, user('When is high water at Saint Malo?'))

/** What this service adds to the request. */
export const SERVICE: FieldRow[] = [
  {
    field: 'character_slug',
    body: parameters({ character_slug: 'lantern-of-questions' }),
    effect: echoes('character_slug', 'lantern-of-questions'),
    refused: parameters({ character_slug: '' }),
  },
  {
    field: 'strip_thinking_response',
    body: { ...parameters({ strip_thinking_response: true }), model: 'thinks' },
    effect: [
      'no thoughts in the answer',
      ({ answer }) => {
        expect(textOf(answer)).toBe('Six.')
        expect(firstOf(answer).message.reasoning_content).toBeNull()
      },
    ],
    refused: parameters({ strip_thinking_response: 'yes' }),
  },
  {
    field: 'disable_thinking',
    body: parameters({ disable_thinking: true }),
    effect: [
      'thinking is switched off at the model server',
      ({ wire }) => expect(wire.chat_template_kwargs).toMatchObject({ enable_thinking: false }),
    ],
    refused: parameters({ disable_thinking: 1 }),
  },
  {
    field: 'enable_web_search',
    body: search(),
    effect: [
      'what was found stands in the prompt, and in the list',
      ({ answer, wire }) => {
        expect(wireText(wire)).toContain('07:42')
        expect(citationsOf(answer).map(({ url }) => new URL(url).pathname)).toEqual(
          expect.arrayContaining(['/tides', '/harbour']),
        )
      },
    ],
    refused: parameters({ enable_web_search: 'perhaps' }),
  },
  {
    field: 'enable_web_scraping',
    body: async (site) => parameters({ enable_web_scraping: true }, user(`What does ${site.origin}/tides say?`)),
    effect: [
      'the page that was named stands in the prompt',
      ({ answer, wire, site }) => {
        expect(wireText(wire)).toContain('07:42')
        expect(citationsOf(answer)).toMatchObject([{ url: `${site.origin}/tides` }])
      },
    ],
    refused: parameters({ enable_web_scraping: 'yes' }),
  },
  {
    field: 'enable_x_search',
    body: parameters({ enable_x_search: true }),
    effect: [
      'the vendor is asked to search, on models that can',
      ({ wire }) => expect(wire.tools).toEqual([{ type: 'web_search' }, { type: 'x_search' }]),
    ],
    refused: parameters({ enable_x_search: 'yes' }),
  },
  {
    field: 'enable_web_citations',
    body: search({ enable_web_citations: true }),
    effect: ['the model is asked for `[REF]n[/REF]`', ({ wire }) => expect(wireText(wire)).toContain('[REF]')],
    refused: parameters({ enable_web_citations: 'yes' }),
  },
  {
    field: 'include_search_results_in_stream',
    body: { ...search({ include_search_results_in_stream: true }), stream: true },
    effect: [
      'the first chunk has the list',
      ({ answer }) =>
        expect(chunksOf(answer)[0]).toMatchObject({
          choices: [],
          service_parameters: { web_search_citations: expect.any(Array) },
        }),
    ],
    refused: parameters({ include_search_results_in_stream: 'yes' }),
  },
  {
    field: 'return_search_results_as_documents',
    body: search({ return_search_results_as_documents: true }),
    effect: [
      'a call of `service_web_search_documents`',
      ({ answer }) => {
        const [call] = callsOf(answer)
        expect(call?.function.name).toBe('service_web_search_documents')
        expect(JSON.parse(call?.function.arguments ?? '').documents.length).toBeGreaterThan(1)
        expect(firstOf(answer).finish_reason).toBe('tool_calls')
        expect(firstOf(answer).message.content).not.toBeNull()
      },
    ],
    refused: parameters({ return_search_results_as_documents: 'yes' }),
  },
  {
    field: 'include_service_system_prompt',
    body: parameters({ include_service_system_prompt: false }),
    effect: [
      'only the caller’s own words',
      ({ wire }) => expect(wire.messages).toEqual([{ role: 'user', content: 'Hello' }]),
    ],
    refused: parameters({ include_service_system_prompt: 'no' }),
  },
  {
    field: 'enable_e2ee',
    body: parameters({ enable_e2ee: true }),
    effect: echoes('enable_e2ee', false),
    refused: parameters({ enable_e2ee: 'yes' }),
  },
  {
    field: 'model suffix',
    body: { ...hello, model: 'able:include_service_system_prompt=false&strip_thinking_response=true' },
    effect: [
      'overrides the body, and is not in `model`',
      ({ answer }) => {
        expect(echoOf(answer)).toMatchObject({ include_service_system_prompt: false, strip_thinking_response: true })
        expect(answer.json.model).toBe('able')
      },
    ],
    refused: { model: 'able:enable_web_search=perhaps' },
  },
]
