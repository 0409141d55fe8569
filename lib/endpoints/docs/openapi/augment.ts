import {
  ScrapeRequest,
  ScrapeResponse,
  SearchRequest,
  SearchResponse,
  TextParserFields,
  TextParserResponse,
} from '@/lib/contract/augment.schema'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'

export const AUGMENT: Group = {
  tag: 'Augment',
  description: 'Web search, web pages and files as text for models.',
  operations: {
    'POST /augment/search': {
      id: 'searchWeb',
      summary: 'Search the web',
      description:
        'Returns an empty list if nothing was found. `brave` is the default provider of this service; `google` is available if the operator has configured it.',
      access: 'paid',
      body: {
        json: { name: 'SearchRequest', schema: SearchRequest, example: { query: 'tide tables', limit: 5 } },
      },
      content: [
        {
          kind: 'json',
          name: 'SearchResponse',
          schema: SearchResponse,
          example: {
            query: 'tide tables',
            results: [{ title: 'Tides', url: 'https://sea.example/tides', content: 'High water 09:12', date: '' }],
          },
        },
      ],
      errors: ['SEARCH_FAILED'],
    },
    'POST /augment/scrape': {
      id: 'scrapePage',
      summary: 'Scrape a web page',
      description:
        'Returns a public page as Markdown: requested from the site as Markdown first, otherwise converted. Sites that forbid automated access are rejected.',
      access: 'paid',
      body: {
        json: { name: 'ScrapeRequest', schema: ScrapeRequest, example: { url: 'https://sea.example/tides' } },
      },
      content: [
        {
          kind: 'json',
          name: 'ScrapeResponse',
          schema: ScrapeResponse,
          example: { url: 'https://sea.example/tides', content: '# Tides\n\nHigh water 09:12', format: 'markdown' },
        },
      ],
      errors: ['SCRAPE_FAILED'],
    },
    'POST /augment/text-parser': {
      id: 'parseText',
      summary: 'Extract text from a document',
      description: `Returns the text of a PDF, DOCX, PPTX, XLSX, XLS, ODT, RTF, EPUB, HTML or text file of up to ${MAX_FILE_BYTES / 1e6} MB; office files and books as Markdown. The file is not stored.`,
      access: 'paid',
      body: {
        form: {
          name: 'TextParserForm',
          schema: TextParserFields,
          file: 'file',
          fileDescription: `Document of up to ${MAX_FILE_BYTES / 1e6} MB.`,
          mostFiles: 1,
          example: { response_format: 'json' },
        },
      },
      content: [
        {
          kind: 'json',
          name: 'TextParserResponse',
          schema: TextParserResponse,
          example: { text: 'Invoice 17 …', tokens: 4 },
        },
        { kind: 'text', type: 'text/plain', example: 'Invoice 17 …' },
      ],
      errors: ['REQUEST_TIMEOUT'],
    },
  },
}
