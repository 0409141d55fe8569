import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { STYLE_NAMES } from '@/lib/images/styles'

/** The names that `style_preset` takes. Open to everyone. Contract, images.md. */
const list = endpoint(() => jsonReply({ object: 'list', data: STYLE_NAMES }))

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
