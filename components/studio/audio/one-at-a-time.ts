/** What plays now: what begins to play pauses it. */
let current: { player: object; pause: () => void } | undefined

/** To be called when something begins to play. `player` tells it from others. */
export function claimSpeaker(player: object, pause: () => void): void {
  if (current?.player !== player) current?.pause()
  current = { player, pause }
}
