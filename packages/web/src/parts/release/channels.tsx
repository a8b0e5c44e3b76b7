import type { BoardChannel } from '@touchstone/protocol';
import { percentText, SharesMark } from '../../marks/shares.js';

/** The channels of an agent: a bar for each, and beside it the same in figures. */
export const Channels = ({ channels }: { readonly channels: readonly BoardChannel[] }) => (
  <dl class="channels">
    {channels.map((channel) => (
      <div key={channel.name} data-testid="channel" data-channel={channel.name}>
        <dt>{channel.name}</dt>
        <dd>
          {channel.name !== 'latest' && <SharesMark channel={channel} />}
          <Line channel={channel} />
        </dd>
      </div>
    ))}
  </dl>
);

const Line = ({ channel: { name, line } }: { readonly channel: BoardChannel }) => (
  <span class="channel-line">
    {line.length === 0 && <span class="muted">–</span>}
    {line.map(({ version, percent }) => (
      <span key={version}>
        <code>{version}</code>
        {name !== 'latest' && <span class="muted"> {percentText(percent)}</span>}
      </span>
    ))}
  </span>
);
