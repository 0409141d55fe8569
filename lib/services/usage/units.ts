import type { UsageKind } from '@/lib/contract/billing'

/** What the units of a SKU are. `credits` and `requests` are of what no model serves: JSON-RPC, searches. */
export type UnitType = 'tokens' | 'images' | 'chars' | 'minutes' | 'seconds' | 'credits' | 'requests'

/** What SKUs of JSON-RPC begin with; the network's slug follows. Source: API contract, crypto-rpc.md "Pricing". */
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

/** Parts of a token-priced model's bill. Source: API contract, billing.md. */
export const PARTS = ['Input', 'Output', 'Cache Read', 'Cache Write'] as const
export type Part = (typeof PARTS)[number]

export function partOf(sku: string): Part | undefined {
  if (sku.endsWith('-cache-read-mtoken')) return 'Cache Read'
  if (sku.endsWith('-cache-write-mtoken')) return 'Cache Write'
  if (/-input-m(token|char)$/.test(sku)) return 'Input'
  return sku.endsWith('-output-mtoken') ? 'Output' : undefined
}

/** What charges say that their model is, where the analytics of the contract name it; the others have no type. */
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

/** What a page sorts a line into: by what it is of, else by its model. */
export function kindOf(modelType: string | null, sku: string): UsageKind {
  if (sku.startsWith(RPC_SKU)) return 'rpc'
  if (/^(web|x|augment)-/.test(sku)) return 'web'
  if (sku.startsWith('image-')) return 'images'
  if (sku.endsWith('-embedding-input-mtoken')) return 'embeddings'
  return (modelType !== null && KINDS[modelType]) || 'other'
}
