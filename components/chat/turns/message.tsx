'use client'

import { memo } from 'react'
import { Answer } from '@/components/chat/turns/answer'
import { Question } from '@/components/chat/turns/question'
import type { TurnActions } from '@/components/chat/turns/thread'
import type { ModelCard } from '@/lib/browser/models'
import type { Turn } from '@/lib/browser/storage/thread'
import { t } from '@/lib/i18n/t'

export type MessageProps = {
  turn: Turn
  models: ModelCard[]
  actions: TurnActions
  isLast: boolean
  isBusy: boolean
}

/** One turn: what a person asked, or what a model answered. */
export const Message = memo(function Message(props: MessageProps) {
  return props.turn.role === 'user' ? <Question {...props} /> : <Answer {...props} />
})

export function nameOf(models: ModelCard[], id: string | undefined): string {
  return models.find((model) => model.id === id)?.name ?? id ?? t('the model')
}
