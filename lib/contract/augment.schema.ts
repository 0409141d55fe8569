import { z } from 'zod'
import { MAX_SENT_URL_CHARS } from '@/lib/contract/limits'

const MAX_QUERY_CHARS = 400
const MAX_RESULTS = 20

// Source for this file: API contract, augment.md.
export const SearchRequest = z.object({
  query: z
    .string()
    .min(1, 'must not be empty')
    .max(MAX_QUERY_CHARS, `must be at most ${MAX_QUERY_CHARS} characters; shorten the query`)
    .refine((query) => query === '' || /[^\p{Cc}\s]/u.test(query), 'must contain a word to search for')
    .describe('Search query.'),
  limit: z.int().min(1).max(MAX_RESULTS).default(10).describe('Maximum number of results.'),
  search_provider: z
    .enum(['brave', 'google'])
    .default('brave')
    .describe(
      'Search provider. `brave`: the default provider of this service. `google`: Google, if the operator has configured it.',
    ),
})
export type SearchRequest = z.output<typeof SearchRequest>

export const SearchResponse = z.strictObject({
  query: z.string().describe('Search query.'),
  results: z
    .array(
      z.strictObject({
        title: z.string().describe('Title of the page.'),
        url: z.url().describe('URL of the page.'),
        content: z.string().describe('Excerpt from the page.'),
        date: z.string().describe('Publication date; empty if unknown.'),
      }),
    )
    .describe('Search results, best first.'),
})
export type SearchResponse = z.output<typeof SearchResponse>

export const ScrapeRequest = z.object({
  url: z
    .string()
    .max(MAX_SENT_URL_CHARS, `must be at most ${MAX_SENT_URL_CHARS} characters`)
    .superRefine((text, context) => {
      const message = faultOf(text)
      if (message) context.addIssue({ code: 'custom', message })
    })
    .describe('URL of a public page.'),
})
export type ScrapeRequest = z.output<typeof ScrapeRequest>

function faultOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'must be an absolute URL such as https://example.org/page'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://'
  return url.username || url.password ? 'must not contain a user name or a password' : undefined
}

export const ScrapeResponse = z.strictObject({
  url: z.string().describe('URL of the page.'),
  content: z.string().describe('Content of the page as Markdown.'),
  format: z.literal('markdown'),
})
export type ScrapeResponse = z.output<typeof ScrapeResponse>

export const TextParserFields = z.object({
  response_format: z.enum(['json', 'text']).default('json').describe('Format of the response: JSON or plain text.'),
})
export type TextParserFields = z.output<typeof TextParserFields>

export const TextParserResponse = z.strictObject({
  text: z.string().describe('Extracted text.'),
  tokens: z.int().min(0).describe('Approximate number of tokens in the text.'),
})
