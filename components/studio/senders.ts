import type { PromptTask, Sender } from '@/components/studio/sender'

const image = () => import('@/components/studio/image/send')
const audio = () => import('@/components/studio/audio/send')

/** What sends each task, fetched with the first that is sent. */
const SENDERS: Readonly<Record<PromptTask, () => Promise<Sender>>> = {
  generate: () => image().then(({ sendGenerate }) => sendGenerate),
  edit: () => image().then(({ sendEdit }) => sendEdit),
  'multi-edit': () => image().then(({ sendMultiEdit }) => sendMultiEdit),
  upscale: () => image().then(({ sendUpscale }) => sendUpscale),
  'background-remove': () => image().then(({ sendBackgroundRemove }) => sendBackgroundRemove),
  speech: () => audio().then(({ sendSpeech }) => sendSpeech),
  transcription: () => audio().then(({ sendTranscription }) => sendTranscription),
  'video-transcription': () => audio().then(({ sendVideoTranscription }) => sendVideoTranscription),
}

export const senderOf = (task: PromptTask): Promise<Sender> => SENDERS[task]()
