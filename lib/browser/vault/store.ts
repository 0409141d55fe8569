import { Dexie, type EntityTable } from 'dexie'
import type { Sealed, Wrap } from '@/lib/browser/vault/keys'

const VAULT_DATABASE = 'lagoon-vault'

/** An encrypted record. Without a ciphertext: a tombstone, until every tab has seen it. */
export type SealedRecord = { name: string; seq: number; sealed?: Sealed }

/**
 * `filling`: plain records are moved in; each is in at least one of both. `emptying`: all is copied out, and the vault
 * is what counts. `emptied`: the copy is complete, and the vault may go.
 */
type VaultStage = 'filling' | 'on' | 'emptying' | 'emptied'

export type VaultState = {
  id: 'state'
  stage: VaultStage
  wraps: Wrap[]
  wrongTries: number
  triedAt: number
}

export class VaultStore extends Dexie {
  declare records: EntityTable<SealedRecord, 'name'>
  declare state: EntityTable<VaultState, 'id'>
  declare counters: EntityTable<{ id: string; value: number }, 'id'>

  constructor(name = VAULT_DATABASE) {
    super(name)
    this.version(1).stores({ records: 'name, seq', state: 'id', counters: 'id' })
  }
}
