import { API_KEYS } from '@/lib/endpoints/docs/openapi/api-keys'
import { AUDIO } from '@/lib/endpoints/docs/openapi/audio'
import { AUGMENT } from '@/lib/endpoints/docs/openapi/augment'
import { BILLING } from '@/lib/endpoints/docs/openapi/billing'
import { CHARACTERS } from '@/lib/endpoints/docs/openapi/characters'
import { CHAT } from '@/lib/endpoints/docs/openapi/chat'
import { EMBEDDINGS } from '@/lib/endpoints/docs/openapi/embeddings'
import { IMAGES } from '@/lib/endpoints/docs/openapi/images'
import { MODELS } from '@/lib/endpoints/docs/openapi/models'
import type { Group } from '@/lib/endpoints/docs/openapi/operation'
import { RPC } from '@/lib/endpoints/docs/openapi/rpc'
import { VIDEO } from '@/lib/endpoints/docs/openapi/video'
import { X402 } from '@/lib/endpoints/docs/openapi/x402'

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
