export const WEB_SEARCH_STATUSES = ['found', 'nothing_found', 'failed', 'not_needed'] as const
export type WebSearchStatus = (typeof WEB_SEARCH_STATUSES)[number]
