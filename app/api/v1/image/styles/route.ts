import { STYLE_NAMES } from '@/lib/contract/images.schema'
import type { Handle } from '@/lib/pipeline/endpoint'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'

// Open to everyone. Source: API contract, images.md.
const list: Handle = () => jsonReply({ object: 'list', data: STYLE_NAMES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
