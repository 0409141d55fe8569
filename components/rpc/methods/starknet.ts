import { readMethods } from '@/components/rpc/methods/openrpc'
import spec from '@/components/rpc/methods/starknet.openrpc.gen.json'

export const STARKNET_DOCS = readMethods(spec, 'name')
