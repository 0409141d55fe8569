import { endpoint } from '@/lib/api/endpoint'
import { jsonReply } from '@/lib/api/reply'
import { route } from '@/lib/api/route'
import { RPC_SLUGS } from '@/lib/contract/rpc-slugs'

/** The networks that JSON-RPC can be sent to. Open to everyone. Contract, crypto-rpc.md. */
const list = endpoint(() => jsonReply({ networks: RPC_SLUGS }))

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
