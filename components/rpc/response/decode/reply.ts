import { type JsonFault, type JsonPlace, scanJson, stringOf } from '@/components/rpc/response/decode/json'

export type ReplyItem = {
  start: number
  end: number
  id?: string
  // `neither`: JSON, but no JSON-RPC reply.
  outcome: 'result' | 'error' | 'neither'
  value?: { start: number; end: number }
  errorCode?: string
  errorMessage?: string
  // Index of the call that it answers.
  callIndex?: number
}

export type Reply = { fault?: JsonFault; depth: number; isBatch: boolean; items: ReplyItem[]; total: number }

const MAX_ITEMS = 200
const MAX_MESSAGE_CHARS = 2_000
const MAX_CODE_CHARS = 32
const MAX_ID_CHARS = 200

export const looksLikeJson = (text: string): boolean => /^\s*[[{]/.test(text)

/** Finds the items of a reply without parsing values. `calls` is how many were asked, their ids counting from 1. */
export function openReply(text: string, calls: number): Reply {
  const isBatch = /^\s*\[/.test(text)
  const itemDepth = isBatch ? 1 : 0
  const items: ReplyItem[] = []
  let fields: JsonPlace[] = []
  let total = 0
  const scan = scanJson(text, itemDepth + 1, (place) => {
    if (place.depth > itemDepth) {
      fields.push(place)
    } else if (place.depth === itemDepth) {
      total += 1
      if (items.length < MAX_ITEMS) items.push(itemOf(text, place, fields, isBatch ? calls : undefined))
      fields = []
    }
  })
  return scan.isJson ? { isBatch, items, total } : { fault: scan.fault, isBatch: false, items: [], total: 0 }
}

function itemOf(text: string, { start, end }: JsonPlace, fields: JsonPlace[], calls: number | undefined): ReplyItem {
  // A field that is there twice counts as JSON readers take it: the last one.
  const find = (key: string) => fields.findLast((field) => field.key === key)
  const sourceText = (place: JsonPlace) => text.slice(place.start, place.end)
  const id = find('id')
  const error = find('error')
  const result = find('result')
  const outcome = error && sourceText(error) !== 'null' ? 'error' : result ? 'result' : 'neither'
  const value = outcome === 'error' ? error : result
  const idText = id && sourceText(id).slice(0, MAX_ID_CHARS)
  const callIndex = calls === undefined ? 0 : callOf(idText, calls)
  return {
    start,
    end,
    outcome,
    id: idText,
    value: value && { start: value.start, end: value.end },
    ...(outcome === 'error' && errorOf(text.slice(value!.start, value!.end))),
    callIndex,
  }
}

function callOf(id: string | undefined, calls: number): number | undefined {
  const number = id !== undefined && /^[1-9]\d{0,8}$/.test(id) ? Number(id) : Number.NaN
  return number <= calls ? number - 1 : undefined
}

function errorOf(error: string): Pick<ReplyItem, 'errorCode' | 'errorMessage'> {
  if (error.startsWith('"')) return { errorMessage: stringOf(error, 0, error.length).slice(0, MAX_MESSAGE_CHARS) }
  const found: Pick<ReplyItem, 'errorCode' | 'errorMessage'> = {}
  scanJson(error, 1, ({ key, start, end, depth }) => {
    if (depth !== 1) return
    if (key === 'code') found.errorCode = error.slice(start, end).slice(0, MAX_CODE_CHARS)
    if (key !== 'message') return
    const isText = error[start] === '"'
    found.errorMessage = (isText ? stringOf(error, start, end) : error.slice(start, end)).slice(0, MAX_MESSAGE_CHARS)
  })
  return found
}
