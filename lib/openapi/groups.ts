import { API_KEYS } from '@/lib/openapi/api-keys'
import { AUDIO } from '@/lib/openapi/audio'
import { AUGMENT } from '@/lib/openapi/augment'
import { BILLING } from '@/lib/openapi/billing'
import { CHARACTERS } from '@/lib/openapi/characters'
import { CHAT } from '@/lib/openapi/chat'
import { EMBEDDINGS } from '@/lib/openapi/embeddings'
import { IMAGES } from '@/lib/openapi/images'
import { MODELS } from '@/lib/openapi/models'
import type { Group } from '@/lib/openapi/operation'
import { RPC } from '@/lib/openapi/rpc'
import { VIDEO } from '@/lib/openapi/video'
import { X402 } from '@/lib/openapi/x402'

/** Every operation of the API, in the order in which the document shows them. */
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
