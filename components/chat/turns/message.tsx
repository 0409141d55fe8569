'use client'

import { memo } from 'react'
import type { MessageProps } from '@/components/chat/chat-actions'
import { Answer } from '@/components/chat/turns/answer'
import { Question } from '@/components/chat/turns/question'

/** One turn: what a person asked, or what a model answered. */
export const Message = memo(function Message(props: MessageProps) {
  return props.turn.role === 'user' ? <Question {...props} /> : <Answer {...props} />
})
