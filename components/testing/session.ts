import type { SessionReply } from '@/lib/contract/session'

/** What a service on test chains says to a guest with one dollar of credit. */
export const GUEST_SESSION: SessionReply = {
  session: {
    id: 's',
    kind: 'guest',
    address: null,
    family: null,
    balanceUsd: 1,
    balanceDiem: 0,
    expiresAt: '2099-01-01T00:00:00Z',
    sandbox: true,
  },
  service: {
    sandbox: true,
    wallets: 'test',
    guests: true,
    rails: [],
    staking: false,
    version: '1.0.0',
    operator: { name: null, url: null },
    sourceUrl: null,
  },
  preparation: null,
}
