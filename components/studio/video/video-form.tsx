'use client'

import { useQuery } from '@tanstack/react-query'
import { ArrowUpDown } from 'lucide-react'
import type { GenerateOptions, NotSent } from '@/components/studio/generation-store'
import { queueVideo } from '@/components/studio/jobs/queue'
import { changeSettings, type SettingChanges, useMediaForm } from '@/components/studio/media-form'
import { chosenOf } from '@/components/studio/models'
import { Choices, ModelField, ModelState, More, PromptField, Shape } from '@/components/studio/parts/fields'
import { FileWell } from '@/components/studio/parts/file-well'
import { GenerateBar, priceBefore, useProblem, useQuote } from '@/components/studio/parts/generate-bar'
import { readVideoImage } from '@/components/studio/read-media'
import {
  MAX_IMAGES,
  type VideoModel,
  videoImages,
  videoModelsQuery,
  videoProblem,
  videoQuoteBody,
  videoSettings,
} from '@/components/studio/video/video-model'
import { IconButton } from '@/components/ui/button'
import { SelectField } from '@/components/ui/form-fields'
import { Toggle } from '@/components/ui/toggle'
import type { CreationFile, CreationSettings } from '@/lib/browser/storage/generations'
import { t } from '@/lib/i18n/t'

const ACCEPT = 'image/png,image/jpeg,image/webp,image/gif,image/avif,image/heic,.heic,.heif'
// More lengths than this are a menu.
const MAX_BUTTONS = 8

const change = (changes: SettingChanges) => changeSettings('video', changes)

export function VideoForm() {
  const [form, changeForm] = useMediaForm('video')
  return (
    <ModelState query={useQuery(videoModelsQuery())} none={t('No video model is connected.')}>
      {(models) => {
        const model = chosenOf(models, form.modelId)
        if (!model) return null
        const settings = videoSettings(model, form.settings)
        return (
          <>
            {model.from !== 'text' && (
              <Images files={videoImages(model, form.inputs)} onChange={(inputs) => changeForm({ inputs })} />
            )}
            <PromptField
              label={t('Script')}
              placeholder={t('The harbour opens at noon…')}
              value={form.prompt}
              onChange={(prompt) => changeForm({ prompt })}
              max={model.maxPromptChars}
            />
            <ModelField models={models} value={model.id} onChange={(modelId) => changeForm({ modelId })} />
            <Choosable model={model} settings={settings} />
            <More isOpen={Boolean(settings.negativePrompt)}>
              <PromptField
                label={t('Negative prompt')}
                placeholder={t('blurry, text, people…')}
                value={String(settings.negativePrompt ?? '')}
                onChange={(negativePrompt) => change({ negativePrompt: negativePrompt || undefined })}
                max={model.maxPromptChars}
                rows={2}
              />
            </More>
          </>
        )
      }}
    </ModelState>
  )
}

type ImagesProps = { files: CreationFile[]; onChange: (files: CreationFile[]) => void }

function Images({ files, onChange }: ImagesProps) {
  return (
    <FileWell
      label={t('Images')}
      hint={t('Start image and optional end image')}
      files={files}
      maxFiles={MAX_IMAGES}
      accept={ACCEPT}
      read={readVideoImage}
      onChange={onChange}
      extra={(file) =>
        files.length > 1 && (
          <span className="flex items-center gap-1 text-12 text-ink-3">
            {file === files[0] ? t('start') : t('end')}
            {file === files[0] && (
              <IconButton label={t('Swap start and end')} onClick={() => onChange(files.toReversed())}>
                <ArrowUpDown aria-hidden="true" />
              </IconButton>
            )}
          </span>
        )
      }
    />
  )
}

type ChoosableProps = { model: VideoModel; settings: CreationSettings }

function Choosable({ model, settings }: ChoosableProps) {
  const { durations, aspectRatios, resolutions, canChooseAudio: canChooseSound } = model
  return (
    <>
      {durations.length > 1 && <Duration durations={durations} value={String(settings.duration)} />}
      {aspectRatios.length > 1 && (
        <Choices
          label={t('Aspect ratio')}
          value={String(settings.aspectRatio)}
          options={aspectRatios.map((ratio) => ({
            value: ratio,
            label: ratioLabel(ratio),
            icon: <Shape ratio={ratio} />,
          }))}
          onChange={(aspectRatio) => change({ aspectRatio })}
        />
      )}
      {resolutions.length > 1 && (
        <Choices
          label={t('Resolution')}
          value={String(settings.resolution)}
          options={resolutions.map((value) => ({ value, label: value }))}
          onChange={(resolution) => change({ resolution })}
        />
      )}
      {canChooseSound && (
        <Toggle
          label={t('Audio')}
          hint={t('Generates the video with sound.')}
          isOn={settings.hasSound === true}
          onChange={(hasSound) => change({ hasSound })}
        />
      )}
    </>
  )
}

function Duration({ durations, value }: { durations: string[]; value: string }) {
  const props = {
    label: t('Length'),
    value,
    options: durations.map((duration) => ({ value: duration, label: durationLabel(duration) })),
    onChange: (duration: string) => change({ duration }),
  }
  return durations.length <= MAX_BUTTONS ? <Choices {...props} /> : <SelectField {...props} />
}

/** @example durationLabel('5s') // "5 s" */
export function durationLabel(duration: string): string {
  const seconds = /^(\d{1,2})s$/.exec(duration)?.[1]
  if (seconds !== undefined) return t('{seconds} s', { seconds })
  return isOpenLength(duration) ? t('Auto') : duration === '1 gen' ? t('Model default') : duration
}

const isOpenLength = (duration: unknown): boolean => /^(auto|-1)$/i.test(String(duration))

const ratioLabel = (ratio: string): string => (/^(auto|adaptive)$/.test(ratio) ? t('Original') : ratio)

export function VideoBar() {
  const [form] = useMediaForm('video')
  const { data: models = [] } = useQuery(videoModelsQuery())
  const model = chosenOf(models, form.modelId)
  const quoted = useQuote('video', model && videoQuoteBody(model.id, videoSettings(model, form.settings)))
  const start = async (options?: GenerateOptions): Promise<NotSent | undefined> =>
    model && (await queueVideo(model, form, options))
  const problem = useProblem(
    model,
    t('You’re offline. Your selections are saved.'),
    (chosen) => videoProblem(chosen, form) ?? quoted.problem,
  )
  const { price, note } = priceBefore(quoted)
  // A length that the model chooses is paid for as the longest that it makes.
  const isLongest =
    model !== undefined && isOpenLength(videoSettings(model, form.settings).duration) && price.kind === 'exact'
  return (
    <GenerateBar
      price={price}
      note={
        isLongest && !quoted.isOld
          ? t('Priced at the maximum length. The model sets the length; failed videos are free.')
          : note
      }
      problem={problem}
      onGenerate={start}
    />
  )
}
