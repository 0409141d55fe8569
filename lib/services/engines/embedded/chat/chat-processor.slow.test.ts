import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { packagesFor, RUNTIME_VERSION } from '@/lib/services/engines/embedded/processors/packages'
import { Processors } from '@/lib/services/engines/embedded/processors/processors'
import { chatRequest, collect, randomChatModel } from '@/lib/services/engines/embedded/testing/random-chat-model'

const open = new AbortController().signal
const LINUX = { platform: 'linux', arch: 'x64' } as const

/** A model whose GPU has a package with this code. */
async function modelWith(code: string | undefined) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'gpu-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  const [{ name = '' } = {}] = packagesFor('vulkan', LINUX)!
  const dist = path.join(dataDir, 'models', 'processors', RUNTIME_VERSION, name, 'dist')
  await mkdir(dist, { recursive: true })
  if (code !== undefined) await writeFile(path.join(dist, 'index.js'), code)
  const processors = new Processors({ setting: 'vulkan', dataDir, system: LINUX })
  const { room: model, close } = await randomChatModel({ processors })
  onTestFinished(close)
  return model
}

const answerOf = async (model: Awaited<ReturnType<typeof modelWith>>) =>
  (await collect(model.stream(chatRequest({ maxTokens: 5 }), open))).reasons

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('a model answers on the CPU', () => {
  test.each([
    ['has a package of another version', 'export const getBinsDir = () => ({})'],
    ['has a broken package', undefined],
  ])('when the GPU %s, and says so', async (_, code) => {
    const model = await modelWith(code)
    expect(model.state().processor).toMatchObject({ kind: 'vulkan' })
    expect(await answerOf(model)).toEqual(['length'])
    expect(model.state().processor).toMatchObject({
      kind: 'cpu',
      reason: 'Vulkan could not be initialized. Check the driver of the GPU. The CPU is used.',
    })
  })

  test('when the GPU ends its process, from then on', async () => {
    const model = await modelWith("process.kill(process.pid, 'SIGSEGV')")
    expect(await answerOf(model)).toEqual(['length'])
    const { processor, processId } = model.state()
    expect(processor).toMatchObject({ kind: 'cpu', reason: expect.stringMatching(/^The process of the GPU ended/) })
    expect(await answerOf(model)).toEqual(['length'])
    expect(model.state().processId).toBe(processId)
  })
})

test('a model starts anew on another processor when its answers have ended', async () => {
  const { room: model, close } = await randomChatModel()
  onTestFinished(close)
  const answer = model.stream(chatRequest({ maxTokens: 400 }), open)
  await answer.next()
  const { processId } = model.state()
  model.restart()
  expect(model.state()).toMatchObject({ state: 'ready', processId })
  await answer.return(undefined)
  await vi.waitFor(() => expect(model.state().state).toBe('asleep'))
  expect(await answerOf(model)).toEqual(['length'])
  expect(model.state().processId).not.toBe(processId)
})
