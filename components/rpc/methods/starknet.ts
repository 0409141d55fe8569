import { readMethods } from '@/components/rpc/methods/openrpc'
import spec from '@/components/rpc/methods/starknet.openrpc.gen.json'

/** Every method of Starknet. Fetched when one is first looked at: see `method-doc.ts`. */
export const STARKNET_DOCS = readMethods(spec, 'name')
