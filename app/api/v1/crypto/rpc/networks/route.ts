import { RPC_SLUGS } from '@/lib/contract/rpc-networks'
import type { Handle } from '@/lib/pipeline/endpoint'
import { route } from '@/lib/pipeline/methods'
import { jsonReply } from '@/lib/pipeline/reply'

/** The networks that JSON-RPC can be sent to. Open to everyone. Contract, crypto-rpc.md. */
const list: Handle = () => jsonReply({ networks: RPC_SLUGS })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
