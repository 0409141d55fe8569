import {
  BOOLEAN,
  DATA,
  HASH,
  mayGive,
  method,
  need,
  QUANTITY,
  record,
  TEXT,
  union,
} from '@/components/rpc/methods/build'
import type { MethodDoc } from '@/components/rpc/methods/types'
import { msg } from '@/lib/i18n/t'

export const NODE: readonly MethodDoc[] = [
  method('eth_chainId', {
    says: msg('Chain ID used in signatures.'),
    more: 'Part of every signature since EIP-155, so that a transaction of one chain is none of another.',
    result: QUANTITY,
    read: 'A quantity: 0x1 is Ethereum, 0x2105 is Base.',
    gave: '0x2105',
  }),
  method('eth_syncing', {
    says: msg('Sync status of the node.'),
    result: union(
      ['In step', BOOLEAN],
      [
        'Syncing',
        record(
          mayGive('startingBlock', QUANTITY),
          mayGive('currentBlock', QUANTITY),
          mayGive('highestBlock', QUANTITY),
        ),
      ],
    ),
    read: 'false when it is in step; else how far it has come.',
    gave: false,
  }),
  method('eth_protocolVersion', {
    says: msg('Ethereum protocol version of the node.'),
    more: 'Clients have dropped it: most answer that they do not know it.',
    result: union(['Version', TEXT], ['Number', { kind: 'number', isWhole: true }]),
    read: 'Text or a number, as the client likes.',
  }),
  method('net_version', {
    says: msg('Network ID, in decimal.'),
    more: 'Almost always the chain id. Prefer eth_chainId.',
    result: TEXT,
    read: 'Decimal digits as text, not a quantity.',
    gave: '8453',
  }),
  method('net_listening', {
    says: msg('Peer connection status: whether the node accepts connections.'),
    result: BOOLEAN,
    read: 'true, as a rule.',
    gave: true,
  }),
  method('net_peerCount', {
    says: msg('Number of connected peers.'),
    more: 'Rollups and hosted nodes often say 0, or that they do not know it.',
    result: QUANTITY,
    read: 'A count as a quantity.',
  }),
  method('web3_clientVersion', {
    says: msg('Client software and version of the node.'),
    result: TEXT,
    read: 'Free text, by habit name/version/system/language.',
  }),
  method('web3_sha3', {
    says: msg('Keccak-256 hash of the given bytes.'),
    more: 'Not the SHA-3 of the standard. Anyone can compute it without a node; it is good for a first test.',
    params: [need('data', 'Data', DATA, 'What to hash.')],
    result: HASH,
    read: '32 bytes.',
    start: ['0x68656c6c6f'],
    gave: '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8',
  }),
]
