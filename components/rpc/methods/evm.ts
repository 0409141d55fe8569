import spec from '@/components/rpc/methods/evm.openrpc.gen.json'
import { readMethods } from '@/components/rpc/methods/openrpc'

/** Every method of the EVM's family. Fetched when one is first looked at: see `method-doc.ts`. */
export const EVM_DOCS = readMethods(spec, 'place')
