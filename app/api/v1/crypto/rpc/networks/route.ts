import { RPC_SLUGS } from '@/lib/contract/rpc-networks'
import { jsonReply } from '@/lib/pipeline/reply'
import { type Handle, route } from '@/lib/pipeline/route'

/** The networks that JSON-RPC can be sent to. Open to everyone. Contract, crypto-rpc.md. */
const list: Handle = () => jsonReply({ networks: RPC_SLUGS })

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route({ GET: list })
