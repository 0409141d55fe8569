import type { UsageKind } from '@/lib/contract/billing'

export type UnitType = 'tokens' | 'images' | 'chars' | 'minutes' | 'seconds' | 'credits' | 'requests'

/** Prefix of JSON-RPC SKUs; the network's slug follows. Source: API contract, crypto-rpc.md "Pricing". */
export const RPC_SKU = 'crypto-rpc-'

const BY_ENDING: readonly [ending: RegExp, unit: UnitType][] = [
  [/-mtoken$/, 'tokens'],
  [/-mchar$/, 'chars'],
  [/-(image|inpaint|upscale|background-removal)(-|$)/, 'images'],
  [/-minute(-|$)/, 'minutes'],
  [/-second(-|$)/, 'seconds'],
]

export function unitOf(sku: string): UnitType {
  if (sku.startsWith(RPC_SKU)) return 'credits'
  return BY_ENDING.find(([ending]) => ending.test(sku))?.[1] ?? 'requests'
}

export const PARTS = ['Input', 'Output', 'Cache Read', 'Cache Write'] as const
export type Part = (typeof PARTS)[number]

export function partOf(sku: string): Part | undefined {
  if (sku.endsWith('-cache-read-mtoken')) return 'Cache Read'
  if (sku.endsWith('-cache-write-mtoken')) return 'Cache Write'
  if (/-input-m(token|char)$/.test(sku)) return 'Input'
  return sku.endsWith('-output-mtoken') ? 'Output' : undefined
}

const WIRE_TYPES: ReadonlySet<string> = new Set(['LLM', 'IMAGE', 'TTS', 'ASR', 'VIDEO'])

export const wireTypeOf = (type: string | null): string | null => (type !== null && WIRE_TYPES.has(type) ? type : null)

const KINDS: Readonly<Record<string, UsageKind>> = {
  LLM: 'chat',
  IMAGE: 'images',
  TTS: 'audio',
  ASR: 'audio',
  MUSIC: 'audio',
  VIDEO: 'video',
}

export function kindOf(modelType: string | null, sku: string): UsageKind {
  if (sku.startsWith(RPC_SKU)) return 'rpc'
  if (/^(web|x|augment)-/.test(sku)) return 'web'
  if (sku.startsWith('image-')) return 'images'
  if (sku.endsWith('-embedding-input-mtoken')) return 'embeddings'
  return (modelType !== null && KINDS[modelType]) || 'other'
}
