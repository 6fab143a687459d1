# The installer of brv @version@ checks the archive that it downloads.
curl --proto '=https' --tlsv1.2 -fsSLo install.sh @release@/install.sh
BRV_INSTALL_DIR="$HOME/.local/bin" sh install.sh
