import { API_KEYS, BILLING } from '@/lib/endpoints/docs/openapi/account'
import { CHARACTERS, MODELS } from '@/lib/endpoints/docs/openapi/catalogue'
import { RPC, X402 } from '@/lib/endpoints/docs/openapi/chains'
import { IMAGES } from '@/lib/endpoints/docs/openapi/images'
import { AUDIO, VIDEO } from '@/lib/endpoints/docs/openapi/media'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'
import { AUGMENT, CHAT, EMBEDDINGS } from '@/lib/endpoints/docs/openapi/text'

export const GROUPS: readonly Group[] = [
  CHAT,
  MODELS,
  EMBEDDINGS,
  IMAGES,
  AUDIO,
  VIDEO,
  AUGMENT,
  CHARACTERS,
  RPC,
  X402,
  API_KEYS,
  BILLING,
]
