import { DATA, HASH, method, need, QUANTITY, WEI } from '@/components/rpc/methods/build'
import {
  addressParam,
  BURNED,
  NO_HASH,
  PROOF,
  SHA256,
  stateParam,
  storageKeysParam,
} from '@/components/rpc/methods/evm-shapes'
import type { MethodDoc } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

export const STATE: readonly MethodDoc[] = [
  method('eth_getBalance', {
    says: msg('Native balance of an address.'),
    more: 'Tokens are not in it: ask their contract with eth_call. Old blocks need a node that keeps its history.',
    params: [addressParam(), stateParam],
    result: WEI,
    read: 'Wei as a quantity: 10^18 wei are one coin.',
    start: [BURNED, 'latest'],
    gave: '0x0',
  }),
  method('eth_getTransactionCount', {
    says: msg('Number of transactions sent from an account: its next nonce.'),
    more: 'With the tag pending it counts those that still wait. Contracts count what they created.',
    params: [addressParam(), stateParam],
    result: QUANTITY,
    read: 'The nonce that the next transaction must have.',
    start: [BURNED, 'latest'],
    gave: '0x0',
  }),
  method('eth_getCode', {
    says: msg('Code of a contract.'),
    more: 'Also the shortest way to tell a contract from a plain account, which has no code.',
    params: [addressParam('A contract.'), stateParam],
    result: DATA,
    read: 'Bytecode as it is run. 0x is no contract; 0xef0100 and an address is a delegation by EIP-7702.',
    start: [BURNED, 'latest'],
    gave: '0x',
  }),
  method('eth_getStorageAt', {
    says: msg('One storage slot of a contract.'),
    more: 'Where a variable lies follows from the compiler’s layout; mappings hash their key with the slot.',
    params: [
      addressParam('A contract.'),
      need('slot', 'Slot', { kind: 'data', maxBytes: 32 }, 'Its place, up to 32 bytes: 0x0 is the first.'),
      stateParam,
    ],
    result: HASH,
    read: '32 bytes. Zeros also where nothing was ever written.',
    start: [SHA256, '0x0', 'latest'],
    gave: NO_HASH,
  }),
  method('eth_getProof', {
    says: msg('An account and its storage slots, with Merkle proofs.'),
    more: 'Whoever knows the block’s state root can check the answer without trusting the node. By EIP-1186.',
    params: [addressParam(), storageKeysParam, stateParam],
    result: PROOF,
    read: 'Balance, nonce and hashes, and the nodes that lead to them from the state root.',
    start: [BURNED, [], 'latest'],
  }),
]
