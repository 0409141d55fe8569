import spec from '@/components/rpc/methods/evm.openrpc.gen.json'
import { readMethods } from '@/components/rpc/methods/openrpc'

export const EVM_DOCS = readMethods(spec, 'place')
