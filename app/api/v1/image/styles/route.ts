import { STYLE_NAMES } from '@/lib/contract/images.schema'
import { jsonReply } from '@/lib/pipeline/reply'
import { type Handle, route } from '@/lib/pipeline/route'

// Open to everyone. Source: API contract, images.md.
const list: Handle = () => jsonReply({ object: 'list', data: STYLE_NAMES })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
