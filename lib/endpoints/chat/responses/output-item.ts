export type OutputStatus = 'in_progress' | 'completed' | 'incomplete'

/** Where a text cites a source. Places count as JavaScript counts: UTF-16 units, the end not included. */
export type Annotation = { type: 'url_citation'; url: string; title: string; start_index: number; end_index: number }

export type ReasoningItem = {
  type: 'reasoning'
  id: string
  /** One part when there are thoughts; none where the model only seals them. */
  summary: { type: 'summary_text'; text: string }[]
  encrypted_content?: string
}
export type SearchItem = {
  type: 'web_search_call'
  id: string
  status: 'in_progress' | 'completed' | 'failed'
  action: { type: 'search'; query: string }
}
export type CallItem = {
  type: 'function_call'
  id: string
  call_id: string
  name: string
  arguments: string
  status: OutputStatus
}
export type MessageItem = {
  type: 'message'
  id: string
  status: OutputStatus
  role: 'assistant'
  /** One part when something was said; none before. */
  content: { type: 'output_text'; text: string; annotations: Annotation[] }[]
}

/** One item of a response's `output`. Source: API contract, chat.md "POST /responses". */
export type OutputItem = ReasoningItem | SearchItem | CallItem | MessageItem
