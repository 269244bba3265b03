defmodule Shop.Cart do
  @moduledoc "A cart, kept by one process for each session."
  use GenServer

  def start_link(session), do: GenServer.start_link(__MODULE__, [], name: via(session))
  def add(session, sku, cents), do: GenServer.cast(via(session), {:add, sku, cents})
  def total(session), do: GenServer.call(via(session), :total)

  @impl true
  def init(lines), do: {:ok, lines}

  @impl true
  def handle_cast({:add, sku, cents}, lines), do: {:noreply, [{sku, cents} | lines]}

  @impl true
  def handle_call(:total, _from, lines) do
    {:reply, Enum.reduce(lines, 0, fn {_, cents}, sum -> sum + cents end), lines}
  end

  defp via(session), do: {:via, Registry, {Shop.Registry, session}}
end
