import { Dexie, type EntityTable } from 'dexie'
import type { Sealed, Wrap } from '@/lib/browser/vault/keys'

const VAULT_DATABASE = 'lagoon-vault'

/** A record under the key. Without a ciphertext: one that was deleted, until every tab has seen it. */
export type SealedRecord = { name: string; seq: number; sealed?: Sealed }

/**
 * How far the vault is. `filling`: what is kept plain is moved in; each record is in at least one of both. `emptying`: all
 * is copied out, and the vault is what counts. `emptied`: the copy is complete, and the vault may go.
 */
type VaultStage = 'filling' | 'on' | 'emptying' | 'emptied'

export type VaultState = {
  id: 'state'
  stage: VaultStage
  wraps: Wrap[]
  /** Wrong passphrases one after the other, and when the last was, in Unix milliseconds. */
  wrongTries: number
  triedAt: number
}

/** What of the vault is on disk. */
export class VaultStore extends Dexie {
  declare records: EntityTable<SealedRecord, 'name'>
  declare state: EntityTable<VaultState, 'id'>
  declare counters: EntityTable<{ id: string; value: number }, 'id'>

  constructor(name = VAULT_DATABASE) {
    super(name)
    this.version(1).stores({ records: 'name, seq', state: 'id', counters: 'id' })
  }
}
