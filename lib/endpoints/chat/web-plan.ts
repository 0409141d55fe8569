import 'server-only'
import type { ChatCompletionRequest } from '@/lib/contract/chat.schema'
import { MAX_NATIVE_RESULTS, MAX_PAGES_READ } from '@/lib/contract/limits'
import { unitPrice } from '@/lib/contract/money'
import { WEB_SOURCE_PRICE } from '@/lib/contract/prices'
import { isImage } from '@/lib/endpoints/chat/attachments'
import { findUrls, queryOf } from '@/lib/endpoints/chat/web-query'
import type { PricedUnits } from '@/lib/services/ledger/meter'
import type { Model } from '@/lib/services/models/model'

export type WebPlan =
  | { mode: 'none' }
  | { mode: 'native'; maxResults: number; query?: string }
  | { mode: 'scrape'; urls: string[] }
  | { mode: 'search'; query: string }
  | { mode: 'decide'; query: string }
  | { mode: 'tool'; query: string }

type Messages = ChatCompletionRequest['messages']
type UserMessage = Extract<Messages[number], { role: 'user' }>

const SOURCE_PRICE = unitPrice(WEB_SOURCE_PRICE)

/**
 * Plans the web step: a vendor's search, otherwise the pages that the latest user message names, otherwise a search.
 * Source: API contract, chat.md 3.
 */
export function planWeb(input: {
  parameters: { enable_web_search: 'off' | 'on' | 'auto'; enable_web_scraping: boolean; enable_x_search: boolean }
  messages: Messages
  model: Model
  canCallTools: boolean
  canSearchNatively: boolean
}): WebPlan {
  const { parameters } = input
  const { supportsXSearch, supportsWebSearch } = input.model.capabilities
  const wantsNativeSearch = parameters.enable_x_search && supportsXSearch
  if (!wantsNativeSearch && !parameters.enable_web_scraping && parameters.enable_web_search === 'off') {
    return { mode: 'none' }
  }
  const users = input.messages.filter((message) => message.role === 'user')
  const latest = users.at(-1)
  const text = latest ? userText(latest) : ''
  if (!latest || text.trim() === '') return { mode: 'none' }
  const query = holdsImage(latest) ? '' : queryOf(users.slice(-2).map(userText))
  if (wantsNativeSearch) {
    const instead = (supportsWebSearch && query) || undefined
    if (input.canSearchNatively) return { mode: 'native', maxResults: MAX_NATIVE_RESULTS, query: instead }
    return instead === undefined ? { mode: 'none' } : { mode: 'search', query: instead }
  }
  const urls = parameters.enable_web_scraping ? findUrls(text, MAX_PAGES_READ) : []
  if (urls.length > 0) return { mode: 'scrape', urls }
  if (parameters.enable_web_search === 'off' || query === '') return { mode: 'none' }
  if (parameters.enable_web_search === 'on') return { mode: 'search', query }
  return { mode: input.canCallTools ? 'tool' : 'decide', query }
}

export function userText({ content }: UserMessage): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

const holdsImage = ({ content }: UserMessage): boolean => typeof content !== 'string' && content.some(isImage)

export function boundOfWeb(plan: WebPlan): PricedUnits[] {
  switch (plan.mode) {
    case 'none':
      return []
    case 'native':
      return [nativeLine(plan.maxResults)]
    case 'scrape':
      return [pageLine(plan.urls.length)]
    default:
      return [{ sku: 'web-search', units: 1, price: SOURCE_PRICE }]
  }
}

export const pageLine = (pages: number): PricedUnits => ({ sku: 'web-scrape', units: pages, price: SOURCE_PRICE })
const nativeLine = (results: number): PricedUnits => ({ sku: 'x-search', units: results, price: SOURCE_PRICE })

export const nativeSearchLines = (results: number): PricedUnits[] => (results > 0 ? [nativeLine(results)] : [])
