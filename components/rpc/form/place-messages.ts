import { isRecord } from '@/components/rpc/methods/blocks'
import type { MethodDoc, ParamDoc, ParamPath, Type } from '@/components/rpc/methods/types'
import { variantOf } from '@/components/rpc/methods/variants'
import { t } from '@/lib/i18n/t'

const MAX_STEP_CHARS = 24

/** Where something stands, by the names that people read. @example placeWords(doc, [{ data: '0x1' }], [0, 'data']) // 'Call › Data' */
export function placeWords(doc: MethodDoc | undefined, params: unknown, path: ParamPath): string {
  let type: Type | undefined = doc && typeOfParams(doc, params)
  let value = params
  const words = path.map((step) => {
    type = type && insideOf(type, value)
    const field: ParamDoc | undefined = type && fieldAt(type, step)
    const word = field?.label ?? wordOf(type, step)
    value = Array.isArray(value) || isRecord(value) ? (value as Record<string | number, unknown>)[step] : undefined
    type = field?.type ?? (type?.kind === 'list' ? type.of : type?.kind === 'map' ? type.value : undefined)
    return word
  })
  return words.join(' › ')
}

const typeOfParams = (doc: MethodDoc, params: unknown): Type =>
  isRecord(params) ? { kind: 'object', fields: doc.params } : { kind: 'tuple', items: doc.params }

const insideOf = (type: Type, value: unknown): Type | undefined =>
  type.kind === 'union' ? variantOf(type.variants, value)?.type : type

function fieldAt(type: Type, step: string | number): ParamDoc | undefined {
  if (type.kind === 'tuple') return type.items[Number(step)]
  return type.kind === 'object' ? type.fields.find(({ name }) => name === step) : undefined
}

const wordOf = (type: Type | undefined, step: string | number): string =>
  typeof step !== 'number'
    ? step.slice(0, MAX_STEP_CHARS)
    : type?.kind === 'list'
      ? `${type.item} ${step + 1}`
      : t('Entry {place}', { place: String(step + 1) })
