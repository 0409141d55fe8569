import type { Failure } from '@/lib/browser/failure'
import type { ModelCard } from '@/lib/browser/models'
import type { ForkExtent } from '@/lib/browser/storage/branches'
import type { Outgoing } from '@/lib/browser/storage/records'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

export type ReplayOptions = { isDayWaived?: boolean }

/** Actions on a turn. Those that ask a model resolve to whether the question was begun. */
export type ChatActions = {
  regenerate(turn: Turn, other?: string): Promise<boolean>
  resume(turn: Turn): Promise<boolean>
  replay(turn: Turn, failure: Failure, options?: ReplayOptions): Promise<boolean>
  edit(turn: Turn, outgoing: Outgoing): Promise<boolean>
  showVersion(turn: Turn, version: string): void
  keep(turn: Turn): void
  fork(turn: Turn, extent: ForkExtent): void
  remove(turn: Turn): void
}

/** Stable, so that turns which did not change are not drawn again. */
export type TurnActions = ChatActions & { chatId: string; pickModel: (id: string) => void }

export type MessageProps = { turn: Turn; models: ModelCard[]; actions: TurnActions; isLast: boolean; isBusy: boolean }

export function modelName(models: ModelCard[], id: string | undefined): string {
  return models.find((model) => model.id === id)?.name ?? id ?? t('the model')
}
