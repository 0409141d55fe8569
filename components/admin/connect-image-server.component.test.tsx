import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { foundQuery, providersQuery } from '@/components/admin/api'
import { ConnectImageServer } from '@/components/admin/connect-image-server'
import { renderPart } from '@/components/testing/render'
import type { FoundServer, ProvidersReply } from '@/lib/contract/providers'

const LISTED: ProvidersReply = {
  presets: [
    { id: 'ollama', name: 'Ollama', address: 'http://127.0.0.1:11434/v1', key: 'optional', makes: 'text' },
    { id: 'comfyui', name: 'ComfyUI', address: 'http://127.0.0.1:8188', key: 'none', makes: 'images' },
    { id: 'sd-webui', name: 'Stable Diffusion WebUI', address: 'http://127.0.0.1:7860', key: 'none', makes: 'images' },
  ],
  providers: [],
  isSandbox: true,
}
const found = (preset: string, address: string): FoundServer => ({ preset, address, models: 2, isInUse: false })

const show = (servers: FoundServer[]) =>
  renderPart(<ConnectImageServer />, [
    [providersQuery().queryKey, LISTED],
    [foundQuery().queryKey, servers],
  ])

afterEach(() => vi.unstubAllGlobals())

test('image servers of this machine are offered by name, with their address filled in', async () => {
  const user = userEvent.setup()
  show([found('ollama', 'http://127.0.0.1:11434/v1'), found('sd-webui', 'http://127.0.0.1:7861')])
  expect(screen.queryByText('Ollama')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Connect Stable Diffusion WebUI' }))
  expect((await screen.findByLabelText<HTMLInputElement>('Address')).value).toBe('http://127.0.0.1:7861')
  expect(screen.getByRole('dialog', { name: 'Connect an image server' })).toBeTruthy()
})

test('where none is found, the sheet has the image presets', async () => {
  const user = userEvent.setup()
  show([])
  expect(screen.getByText('No image server is running on this machine.')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Enter address' }))
  const options = (await screen.findByLabelText<HTMLSelectElement>('Provider')).options
  expect([...options].map(({ text }) => text)).toEqual([
    'ComfyUI',
    'Stable Diffusion WebUI',
    'Other (OpenAI-compatible)',
  ])
})
