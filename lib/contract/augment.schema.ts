import { z } from 'zod'
import { MAX_SENT_URL_CHARS } from '@/lib/contract/limits'

const MAX_QUERY_CHARS = 400
const MAX_RESULTS = 20

/** Body of `POST /augment/search`. Open. Source: API contract, augment.md, as everything here. */
export const SearchRequest = z.object({
  query: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_QUERY_CHARS, `must have at most ${MAX_QUERY_CHARS} characters; it is not cut`)
    .refine((query) => query === '' || /[^\p{Cc}\s]/u.test(query), 'must hold a word to search for')
    .meta({ description: 'What to look for.' }),
  limit: z.int().min(1).max(MAX_RESULTS).default(10).meta({ description: 'How many results at most.' }),
  search_provider: z.enum(['brave', 'google']).default('brave').meta({
    description: '`brave`: whatever this service searches with. `google`: Google, where the operator has set it up.',
  }),
})
export type SearchRequest = z.output<typeof SearchRequest>

export const SearchResponse = z.strictObject({
  query: z.string().meta({ description: 'What was looked for.' }),
  results: z
    .array(
      z.strictObject({
        title: z.string().meta({ description: 'The title of the page.' }),
        url: z.url().meta({ description: 'Its address.' }),
        content: z.string().meta({ description: 'A passage of it.' }),
        date: z.string().meta({ description: 'When it was published; empty where that is not known.' }),
      }),
    )
    .meta({ description: 'What was found, best first.' }),
})
export type SearchResponse = z.output<typeof SearchResponse>

/** Body of `POST /augment/scrape`. Open. */
export const ScrapeRequest = z.object({
  url: z
    .string()
    .max(MAX_SENT_URL_CHARS, `must have at most ${MAX_SENT_URL_CHARS} characters`)
    .superRefine((text, context) => {
      const message = faultOf(text)
      if (message) context.addIssue({ code: 'custom', message })
    })
    .meta({ description: 'The address of a public page.' }),
})
export type ScrapeRequest = z.output<typeof ScrapeRequest>

function faultOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'must be an absolute address such as https://example.org/page'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://'
  return url.username || url.password ? 'must hold no user name and no password' : undefined
}

export const ScrapeResponse = z.strictObject({
  url: z.string().meta({ description: 'The address.' }),
  content: z.string().meta({ description: 'The page as Markdown.' }),
  format: z.literal('markdown'),
})
export type ScrapeResponse = z.output<typeof ScrapeResponse>

/** Form of `POST /augment/text-parser` without its file; other fields are ignored. */
export const TextParserFields = z.object({
  response_format: z.enum(['json', 'text']).default('json').meta({ description: 'JSON or plain text.' }),
})
export type TextParserFields = z.output<typeof TextParserFields>

export const TextParserResponse = z.strictObject({
  text: z.string().meta({ description: 'Its text.' }),
  tokens: z.int().min(0).meta({ description: 'How many tokens that is, about.' }),
})
